import { table } from './table.ts'

type KeyCheckTable = { id: 1; signature: string }

export const clusterTables = {
  key_check: table<KeyCheckTable>({ scope: 'derived', engine: 'postgres' }),
}
