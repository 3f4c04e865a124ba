import { z } from 'zod'
import { CommentText } from '../../actions/comments/comment-text.ts'
import { editComment, editReply } from '../../actions/comments/edit-comment.ts'
import { postReply } from '../../actions/comments/post-comment.ts'
import { removeComment, removeReply } from '../../actions/comments/remove-comment.ts'
import type { CommentWriter } from '../../actions/comments/writer.ts'
import type { Context } from '../../context.ts'
import type { Done } from '../frame/page.ts'

/** The fields of the form that replies to, edits, deletes, resolves or reopens a comment. */
export const ThreadBody = z
  .object({
    do: z.enum(['reply', 'edit', 'delete', 'resolve', 'reopen']),
    text: z.string().default(''),
    /** The id of a reply, '' for the comment itself. */
    reply: z.string().max(100).default(''),
    /** Of a change request, the page that has the comment: '' for the overview, or the id of a page with its view. */
    back: z
      .string()
      .max(200)
      .regex(/^[^?/#\\]*(?:\?view=(?:side|source))?$/, 'takes a page of the change request')
      .default(''),
  })
  .superRefine(({ do: what, text }, check) => {
    if (what !== 'reply' && what !== 'edit') return
    for (const { message } of CommentText.safeParse(text).error?.issues ?? [])
      check.addIssue({ code: 'custom', path: ['text'], message })
  })

type ThreadOrder = { commentId: string; body: z.output<typeof ThreadBody>; page: string }

/** Does what a form asks for with a comment on a page. Call inside a transaction. */
export function actOnThread(
  ctx: Context,
  writer: CommentWriter,
  { commentId, body, page }: ThreadOrder,
): Done {
  const { do: what, text, reply } = body
  const ofReply = { commentId, commentReplyId: reply }

  if (what === 'reply') {
    const row = postReply(ctx, writer, commentId, { markdown: text })
    return { to: `${page}#reply-${row.id}`, notice: 'Your reply was posted.' }
  }
  if (what === 'delete') {
    if (reply === '') removeComment(ctx, writer, commentId)
    else removeReply(ctx, writer, ofReply)
    return { to: page, notice: 'The comment was deleted.' }
  }

  const edit = what === 'edit' ? { body: { markdown: text } } : { resolved: what === 'resolve' }
  if (reply === '') editComment(ctx, writer, commentId, edit)
  else editReply(ctx, writer, ofReply, edit)
  const at = reply === '' ? `comment-${commentId}` : `reply-${reply}`
  return { to: `${page}#${at}`, notice: notices[what] }
}

const notices = {
  edit: 'The comment is saved.',
  resolve: 'The comment is resolved.',
  reopen: 'The comment is open again.',
}
