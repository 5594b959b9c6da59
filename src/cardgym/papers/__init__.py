"""Papers' results made anew: experiments, figures and pages."""
