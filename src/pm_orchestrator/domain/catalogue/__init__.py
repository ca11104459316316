"""Every sentence a person may read, in English and Japanese side by side."""
