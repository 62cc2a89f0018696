"""The model of Murphy, Carr and O'Neill: laws of similarity, curves, stages, the measured limb."""
