module linpointrecorder

go 1.19
