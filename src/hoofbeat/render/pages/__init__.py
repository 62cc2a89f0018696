"""Pages: contact sheets, plates, footfall bars and the page of a check."""
