/** The tables of `migrations/`, by name. */
export type OpenapiTables = Record<never, never>
