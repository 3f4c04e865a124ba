import type { CommentPost, PageComments } from '../../src/site/views/model.ts'

const post = (id: string, author: string, html: string): CommentPost => ({
  id,
  author,
  at: { iso: '2026-03-12T14:05:09.000Z', text: '12 March 2026 at 14:05:09 UTC' },
  isEdited: false,
  html,
})

/** Returns comments on a block that ends at this offset, on the page, and on what is gone. */
export const sampleComments = (at: number): PageComments => ({
  placed: [
    {
      at,
      level: 2,
      threads: [
        {
          ...post('a', 'Ada', '<p>Does <code>gem</code> need a version here?</p>'),
          isEdited: true,
          replies: [
            post('b', 'Grace', '<p>Yes: see <a href="/ref">the reference</a>.</p>'),
            post('c', 'Ada', '<ul><li>Ruby</li><li>Bundler</li></ul>'),
          ],
          more: 3,
        },
        {
          ...post('d', 'Grace', '<p>A comma is missing.</p>'),
          resolved: 'Resolved by Ada, 13 March 2026',
          replies: [],
          more: 0,
        },
      ],
    },
  ],
  whole: [{ ...post('e', 'Ada', '<p>Reads well.</p>'), replies: [], more: 0 }],
  lost: [{ ...post('f', 'Ada', '<p>This step is gone.</p>'), replies: [], more: 0 }],
  request: [{ ...post('g', 'Grace', '<p>Ready for a review.</p>'), replies: [], more: 0 }],
  more: '7',
})
