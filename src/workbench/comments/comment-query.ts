import { z } from 'zod'

/** The query of a page with comments: the id of one that is shown however old it is. */
export const CommentQuery = z.object({ comment: z.string().max(100).optional() })
