import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { stateSlot } from '../../caches.ts'
import { findUsers } from '../../store/people/users.ts'
import { Live, page } from '../frame/page.ts'

/** Someone who has a page open in an editor, perhaps in a change request. */
type Writer = { userId: string; number: number | undefined }

/** Who has which page open: by space and page. */
const writers = stateSlot(() => new Map<string, Set<Writer>>())

/** The most people who are named. */
const mostNamed = 3

/** Tells an editor who else has the page open. */
export const liveEditor = page({
  path: '/s/:spaceId/edit/:pageId/live',
  scope: 'content:read',
  access: space('edit'),
  query: z.object({ in: z.coerce.number().int().min(1).max(999_999_999).optional() }),
  load: ({ ctx, space: { id: spaceId }, params, me, query }) => {
    const open = ctx.caches.get(writers)
    const key = JSON.stringify([spaceId, params.pageId])
    const own = { userId: me.id, number: query.in }

    const join = () => {
      const all = open.get(key) ?? new Set()
      open.set(key, all.add(own))
      return () => {
        all.delete(own)
        if (all.size === 0) open.delete(key)
      }
    }

    const read = () => {
      const others = [...(open.get(key) ?? [])].filter(({ userId }) => userId !== me.id)
      const places = new Map(others.map(({ userId, number }) => [userId, number]))
      const people = findUsers(ctx.store, [...places.keys()].slice(0, mostNamed))
      const named = [...people.values()].map(({ id, display_name }) => {
        const number = places.get(id)
        return number === undefined ? display_name : `${display_name} (in #${number})`
      })
      const more = places.size - named.length
      return { text: sentence(more > 0 ? [...named, `${more} more`] : named) }
    }

    return new Live(read, join)
  },
  view: () => ({ title: '', body: null }),
})

function sentence(names: readonly string[]): string {
  if (names.length === 0) return ''
  const all = new Intl.ListFormat('en').format(names)
  return names.length === 1
    ? `${all} has this page open, too. What both save is merged.`
    : `${all} have this page open, too. What all save is merged.`
}
