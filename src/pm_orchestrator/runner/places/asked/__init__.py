"""Who answers what an executor asks: a person, a stored preference, or nobody."""
