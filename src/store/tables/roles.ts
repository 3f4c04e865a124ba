/** The roles, weakest first: `read < comment < edit < review < create < admin`. */
export type Role = 'read' | 'comment' | 'edit' | 'review' | 'create' | 'admin'

/** A default level: a role, 'inherit', or null for none. */
export type Level = Role | 'inherit' | null
