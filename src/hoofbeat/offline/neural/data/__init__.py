"""Training data: recordings and our own horse as labelled clips."""
