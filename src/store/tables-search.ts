/** The tables of `migrations/`, by name. */
export type SearchTables = Record<never, never>
