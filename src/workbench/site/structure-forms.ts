import { z } from 'zod'
import { site } from '../../access/guards/site.ts'
import { changeItem, moveByOne, removeItem } from '../../actions/sites/structure/arrange-item.ts'
import { startEdit } from '../../actions/sites/structure/structure-edit.ts'
import { isWebAddress } from '../../content/site/redirect-source.ts'
import { Fault } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form } from '../frame/page.ts'
import { fieldProblem } from '../frame/problems.ts'
import { shownOn } from './paths.ts'

const ofItem = '/sites/:organizationId/:siteId/structure/:itemId'

const Condition = z
  .string()
  .trim()
  .max(1024)
  .transform(text => (text === '' ? null : text))
const Title = lineOfText(2, 128)

/** What the form of an item of each type changes. */
const Change = z.discriminatedUnion('type', [
  z.object({ type: z.literal('site-space'), condition: Condition }),
  z.object({ type: z.literal('site-section'), title: Title, condition: Condition }),
  z.object({ type: z.literal('site-section-group'), title: lineOfText(1, 100) }),
  z.object({
    type: z.literal('site-external-link'),
    title: Title,
    url: z
      .string()
      .trim()
      .refine(isWebAddress, 'must be an http or https address')
      .transform(url => new URL(url).href),
    condition: Condition,
  }),
])

export const changeSiteItem = form({
  path: ofItem,
  scope: 'sites:write',
  access: site('create'),
  body: Change,
  shownOn,
  act: ({ ctx, by, params, body }) =>
    inTransaction(granted => {
      const { type, ...change } = body
      const edit = startEdit({ ctx, by, ...granted })
      try {
        changeItem(edit, { type, id: params.itemId }, change)
      } catch (error) {
        const isOfCondition = error instanceof Fault && error.kind === 'invalid'
        throw isOfCondition ? fieldProblem('condition', error.message) : error
      }
      return { to: `${shownOn(params)}#structure`, notice: 'The change is saved.' }
    }),
})

const notices = {
  up: 'The item was moved up.',
  down: 'The item was moved down.',
  draft: 'The item is now a draft: readers do not see it.',
  publish: 'The item is no longer a draft: readers see it if the site is published.',
  remove: 'The item was removed. Its spaces were kept.',
}

/** Moves an item of the structure by one place, changes whether it is a draft, or removes it. */
export const arrangeSite = form({
  path: `${ofItem}/step`,
  scope: 'sites:write',
  access: site('create'),
  body: z.object({
    type: z.enum(['site-space', 'site-section', 'site-section-group', 'site-external-link']),
    do: z.enum(['up', 'down', 'draft', 'publish', 'remove']),
  }),
  shownOn,
  act: ({ ctx, by, params, body: { type, do: step } }) =>
    inTransaction(granted => {
      const edit = startEdit({ ctx, by, ...granted })
      const item = { type, id: params.itemId }
      if (step === 'up' || step === 'down') moveByOne(edit, item, step)
      else if (step === 'remove') removeItem(edit, item)
      else changeItem(edit, item, { draft: step === 'draft' })
      return { to: `${shownOn(params)}#structure`, notice: notices[step] }
    }),
})
