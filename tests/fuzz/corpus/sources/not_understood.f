+access+r
