import { table } from './table.ts'

/** A part of an upload's file. */
type UploadPartTable = { upload_id: string; blob: string; part: number; bytes: Uint8Array }

type KeyCheckTable = { id: 1; signature: string }

export const clusterTables = {
  key_check: table<KeyCheckTable>({ scope: 'derived', engine: 'postgres' }),
  upload_part: table<UploadPartTable>({ scope: 'derived', engine: 'postgres' }),
}
