import { z } from 'zod'
import { self } from '../../src/access/guards/self.ts'
import { space } from '../../src/access/guards/space.ts'
import { Fault } from '../../src/errors.ts'
import { inTransaction } from '../../src/http/endpoint.ts'
import { updateSpace } from '../../src/store/spaces/spaces.ts'
import { form, page, redirectTo } from '../../src/workbench/frame/page.ts'
import { fieldProblem } from '../../src/workbench/frame/problems.ts'
import {
  Checkbox,
  Choice,
  Form,
  Hidden,
  Select,
  Submit,
  TextArea,
  TextField,
} from '../../src/workbench/parts/form.tsx'
import { ButtonLink } from '../../src/workbench/parts/link.tsx'
import { Badge, Pager } from '../../src/workbench/parts/pieces.tsx'
import { Time } from '../../src/workbench/parts/time.tsx'

const spacePage = page({
  path: '/s/:spaceId',
  scope: 'content:read',
  access: space('read'),
  load: ({ space }) => space,
  view: ({ id, title }) => ({
    title,
    crumbs: [{ title: 'Spaces', to: '' }],
    body: (
      <Form to={`/s/${id}/title`}>
        <TextField name="title" label="Title" value={title} />
        <TextArea name="why" label="Why" />
        <Submit>Rename</Submit>
      </Form>
    ),
  }),
})

const rename = form({
  path: '/s/:spaceId/title',
  scope: 'spaces:write',
  access: space('edit'),
  body: z.object({ title: z.string().min(1), why: z.string() }),
  bodyLimit: 5_000,
  shownOn: ({ spaceId }) => `/s/${spaceId}`,
  act: ({ ctx, body: { title, why } }) => {
    if (title === 'Taken') throw fieldProblem('title', 'is taken')
    if (title === 'Locked') throw new Fault('path_conflict', 'The space is locked.')
    if (title === 'Broken') throw new Error('broken')
    return inTransaction(({ space: { id } }) => {
      updateSpace(ctx.store, id, { title })
      return { to: `/s/${id}`, notice: `Renamed, because ${why}` }
    })
  },
})

const elsewhere = page({
  path: '/elsewhere',
  scope: undefined,
  access: self,
  load: ({ me }) => me.display_name,
  view: name => ({ title: name, body: <p>Nothing to send here.</p> }),
})

const gone = form({
  path: '/elsewhere/gone',
  scope: undefined,
  access: self,
  body: z.object({ text: z.string() }),
  shownOn: () => '/elsewhere',
  act: () => {
    throw new Fault('path_conflict', 'Too late.')
  },
})

/** A form whose page leads to another one. */
const moved = form({
  path: '/elsewhere/moved',
  scope: undefined,
  access: self,
  body: z.object({ text: z.string() }),
  shownOn: () => '/parts?to=/elsewhere',
  act: () => {
    throw new Fault('path_conflict', 'Too late.')
  },
})

const options = [
  { value: 'a', title: 'First' },
  { value: 'b', title: 'Second', hint: 'The other one' },
]

/** Shows every part, with the values that were sent. */
const parts = page({
  path: '/parts',
  scope: undefined,
  access: self,
  query: z.object({ to: z.string().optional() }),
  load: ({ query }) => (query.to === undefined ? {} : redirectTo(query.to)),
  view: () => ({
    title: 'Parts',
    actions: <ButtonLink to="/elsewhere">Elsewhere</ButtonLink>,
    tabs: [
      { title: 'Here', to: '/parts', current: true, count: 2 },
      { title: 'There', to: '/elsewhere' },
    ],
    body: (
      <>
        <Badge tone="success">Open</Badge> <Time at="2026-01-01T00:00:00.000Z" />
        <Form to="/parts" name="second">
          <Hidden name="revision" value="1" />
          <Select name="list" label="List" value="b" options={options} />
          <Choice name="choice" label="Choice" value="a" options={options} />
          <Checkbox name="box" label="Box" checked />
          <Submit kind="primary">Send</Submit>
        </Form>
        <Pager newer="/parts?page=1" older="/parts?page=3" />
      </>
    ),
  }),
})

const sendParts = form({
  path: '/parts',
  scope: undefined,
  access: self,
  body: z.object({ list: z.string(), choice: z.string(), box: z.literal('on').optional() }),
  shownOn: () => '/parts',
  act: () => {
    throw new Fault('path_conflict', 'Not now.')
  },
})

/** A space that can be renamed, and a form whose page does not have it. */
export const sampleTable = [spacePage, rename, elsewhere, gone, moved, parts, sendParts]
