import type { Generated } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { ofOrganization, table } from './table.ts'

type OpenapiSpecTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  slug: string
  source_url: string | null
  visibility: Generated<'private' | 'public'>
  state: Generated<'pending' | 'progress' | 'complete'>
  last_version: Oid | null
  last_processed_at: string | null
  error_code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR' | null
  errors: Generated<{ message: string; code: string }[]>
  created_by: string | null
  created_at: string
  updated_at: string
}

type OpenapiSourceTable = {
  seq: Generated<number>
  spec_id: string
  url: string | null
  packed: Uint8Array | null
  attempts: Generated<number>
  created_by: string | null
  created_at: string
}

type OpenapiVersionTable = {
  seq: Generated<number>
  id: Oid
  spec_id: string
  entry: string
  created_at: string
}

type OpenapiOutlineTable = {
  version_id: Oid
  spec_id: string
  describer: number
  /** JSON text, by whose length the cached outline is weighed. */
  outline: string | null
}

type OpenapiPieceTable = { version_id: Oid; key: string; text: string }

export const openapiTables = {
  openapi_spec: table<OpenapiSpecTable>({
    scope: ofOrganization,
    owner: true,
    json: { errors: true },
  }),
  openapi_source: table<OpenapiSourceTable>({ scope: 'any' }),
  openapi_version: table<OpenapiVersionTable>({ scope: 'any' }),
  openapi_outline: table<OpenapiOutlineTable>({ scope: 'any' }),
  openapi_piece: table<OpenapiPieceTable>({ scope: 'any' }),
}
