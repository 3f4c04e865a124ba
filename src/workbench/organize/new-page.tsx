import { z } from 'zod'
import { lineOfText } from '../../lib/line-of-text.ts'
import { type Done, form, page, type View } from '../frame/page.ts'
import { Form, Select, Submit, TextField } from '../parts/form.tsx'
import { baseOf, change, contentOf, inRequest, inSpace, type Organizer } from './in-request.ts'
import { type PlaceOption, placesIn } from './places.ts'

const NewQuery = z.object({
  into: z.string().max(100).optional(),
  title: z.string().max(300).optional(),
})

const NewForm = z.object({
  title: lineOfText(1, 300),
  into: z.string().max(100).default(''),
  description: z.string().max(5_000).default(''),
})

type Asking = {
  space: { id: string; title: string }
  base: string
  number: number | undefined
  places: readonly PlaceOption[]
  into: string
  title: string
}

async function load(asked: Organizer & { query: z.output<typeof NewQuery> }): Promise<Asking> {
  const { space, changeRequest, query } = asked
  const { content } = await contentOf(asked)
  return {
    space: { id: space.id, title: space.title },
    base: baseOf(asked),
    number: changeRequest?.number,
    places: placesIn(content),
    into: query.into !== undefined && content.pageById.has(query.into) ? query.into : '',
    title: query.title ?? '',
  }
}

const view = ({ space, base, number, places, into, title }: Asking): View => ({
  title: 'New page',
  crumbs: [
    { title: space.title, to: `/s/${space.id}` },
    ...(number === undefined ? [] : [{ title: `#${number}`, to: base }]),
  ],
  body: (
    <Form to={`${base}/new`}>
      <TextField name="title" label="Title" value={title} required maxlength={300} />
      <Select name="into" label="Parent page" value={into} options={places} />
      <TextField
        name="description"
        label="Description"
        hint="One line below the title, and in lists of search results. May stay empty."
        maxlength={5000}
      />
      <Submit kind="primary">Create and write</Submit>
    </Form>
  ),
})

async function act(
  asked: Parameters<typeof change>[0] & { body: z.output<typeof NewForm> },
): Promise<Done> {
  const { title, into, description } = asked.body
  const { base, created, number } = await change(asked, [
    {
      operation: 'insert_page',
      title,
      document: {},
      into: into || null,
      ...(description.trim() !== '' && { description: description.trim() }),
    },
  ])
  return {
    to: created === undefined ? `${base}/organize` : `${base}/edit/${created}`,
    notice: `“${title}” was added in #${number}.`,
  }
}

export const newPageOfSpace = page({
  path: `${inSpace.base}/new`,
  scope: 'content:read',
  access: inSpace.access,
  query: NewQuery,
  load,
  view,
})

export const newPageOfRequest = page({
  path: `${inRequest.base}/new`,
  scope: 'content:read',
  access: inRequest.access,
  query: NewQuery,
  load,
  view,
})

export const addPageToSpace = form({
  path: `${inSpace.base}/new`,
  scope: 'change-requests:write',
  access: inSpace.access,
  body: NewForm,
  shownOn: ({ spaceId }) => `/s/${spaceId}/new`,
  act,
})

export const addPageToRequest = form({
  path: `${inRequest.base}/new`,
  scope: 'change-requests:write',
  access: inRequest.access,
  body: NewForm,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/new`,
  act,
})
