module example.com/handler

go 1.26.0

require github.com/checkrein/checkrein v0.0.0

replace github.com/checkrein/checkrein => ../..
