/** The tables of `migrations/`, by name. */
export type PrintsTables = Record<never, never>
