/** The tables of `migrations/`, by name. */
export type LinksTables = Record<never, never>
