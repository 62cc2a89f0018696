"""The studio: ride a horse in the browser. No motion is made here; horses come from `hoofbeat.horse`."""
