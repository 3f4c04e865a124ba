-- The rows that are derived from Git are now in derived.db, which rebuilds them.
DROP TABLE revision_path;
DROP TABLE revision;
DROP TABLE blob_facts;
DROP TABLE blob_links;
DROP TABLE blob_media;
DROP TABLE space_size;
DROP TABLE search_text;
DROP TABLE search_heading;
DROP TABLE search_title;
DROP TABLE search_sections;
DROP TABLE search_page;
DROP TABLE search_space;
DROP TABLE openapi_piece;
DROP TABLE openapi_outline;
