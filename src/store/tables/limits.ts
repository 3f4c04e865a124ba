/** How large the repository of a space was when it was last measured. */
type SpaceSizeTable = {
  space_id: string
  bytes: number
  measured_at: string
}

export type LimitsTables = { space_size: SpaceSizeTable }
