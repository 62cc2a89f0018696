"""Author: the gait database, made from a table of parameters by code."""
