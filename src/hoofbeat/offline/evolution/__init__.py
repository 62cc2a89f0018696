"""Grammatical evolution of gait adjusters: integer genomes, a grammar, and the score of a moving limb."""
