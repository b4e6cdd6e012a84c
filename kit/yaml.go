package kit

import _ "github.com/checkrein/checkrein/internal/text/yamldoc/parser" // which embedders need; the hot program registers another reader
