package server

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// tokenFile is the name of the token's file in the state directory.
const tokenFile = "serve-token"

// ReadToken returns the token of the user's servers and the path of its file in dir, which it creates
// if it is missing. The token keeps other users out; it permits nothing that the user could not do with
// checkrein eval.
func ReadToken(dir state.Dir) (localhttp.Token, string, error) {
	file := dir.Path(tokenFile)
	unlock, err := dir.Lock(tokenFile)
	if err != nil {
		return localhttp.Token{}, file, err
	}
	defer unlock()
	data, err := dir.Read(tokenFile, 4<<10)
	if err == nil {
		token, err := localhttp.ParseToken(string(data))
		if err != nil {
			err = fmt.Errorf("%s: %w. Remove the file: the next start writes a new one", file, err)
		}
		return token, file, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return localhttp.Token{}, file, err
	}
	token, err := localhttp.NewToken()
	if err == nil {
		err = dir.Write(tokenFile, []byte(token.String()+"\n"))
	}
	return token, file, err
}
