"""Rides: sessions, their horses, recordings and exports."""
