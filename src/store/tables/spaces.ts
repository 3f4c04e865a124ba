import type { Generated } from 'kysely'
import type { Level } from './roles.ts'

export type CollectionTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  parent_id: string | null
  title: string
  description: string | null
  default_level: Level
  position: Generated<number>
  created_at: string
  updated_at: string
}

export type SpaceTable = {
  seq: Generated<number>
  id: string
  organization_id: string
  collection_id: string | null
  title: string
  emoji: Generated<string>
  icon: string | null
  visibility: Generated<string>
  edit_mode: Generated<'live' | 'locked'>
  language: string | null
  default_level: Level
  merge_rules: Generated<string>
  position: Generated<number>
  pristine: Generated<number>
  last_change_request: Generated<number>
  open_comments: Generated<number>
  created_by: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}
