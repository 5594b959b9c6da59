"""Games of people: sessions, their log and words; coach, drawings, web and terminal are rooms inside."""
