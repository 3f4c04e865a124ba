/** The size of the repository of a space when it was last measured. */
type SpaceSizeTable = {
  space_id: string
  bytes: number
  measured_at: string
}

export type LimitsTables = { space_size: SpaceSizeTable }
