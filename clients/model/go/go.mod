module linpoint.example/bank

go 1.18
