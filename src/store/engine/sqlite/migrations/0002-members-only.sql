-- Whether only members of the organization, and guests with a role on its spaces, read the site. Its
-- visibility is then 'visitor-auth'.
ALTER TABLE site ADD COLUMN members_only INTEGER NOT NULL DEFAULT 0 CHECK (members_only IN (0, 1));
