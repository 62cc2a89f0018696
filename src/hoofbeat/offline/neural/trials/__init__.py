"""Trials: the single experiments that an evaluation is made of."""
