import { sql } from 'kysely'

/**
 * Returns the SQL condition that a row of `ref` is a branch outside the folder `except` (e.g.
 * `refs/heads/x/`).
 */
export const isBranchOutside = (except: string) => sql<boolean>`(
  (ref.name > 'refs/heads/' and ref.name < ${except})
  or (ref.name > ${except.replace(/\/$/, '0')} and ref.name < 'refs/heads0'))`
