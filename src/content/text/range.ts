/** A part of a source string, as offsets into it. */
export type Range = { start: number; end: number }
