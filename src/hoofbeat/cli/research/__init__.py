"""Commands for the papers: laws, evolution, training and evaluation."""
