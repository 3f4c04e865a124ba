-- Who may read earlier versions on a site: the members who may read the space, or all readers of the site.
ALTER TABLE site ADD COLUMN time_travel TEXT NOT NULL DEFAULT 'members' CHECK (time_travel IN ('members', 'readers'));
