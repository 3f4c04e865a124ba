import { Rows } from '../rows.ts'

const marks = new Rows('viewed_mark')

/** Returns what a user has viewed of a change request. */
export const listViewedMarks = marks.list('item_id', 'change_request_id', 'user_id')

/** Inserts a mark, or replaces the one of the same user and item. */
export const putViewedMark = marks.put('change_request_id', 'user_id', 'item_id')

export const deleteViewedMark = marks.remove('change_request_id', 'user_id', 'item_id')
