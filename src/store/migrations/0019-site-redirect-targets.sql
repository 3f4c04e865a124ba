-- The redirects to a section or site space are found without reading all redirects of the site, when it is deleted.
CREATE INDEX site_redirect_by_site_space ON site_redirect (site_id, destination ->> '$.siteSpaceId')
  WHERE destination ->> '$.siteSpaceId' IS NOT NULL;
CREATE INDEX site_redirect_by_section ON site_redirect (site_id, destination ->> '$.siteSectionId')
  WHERE destination ->> '$.siteSectionId' IS NOT NULL;
