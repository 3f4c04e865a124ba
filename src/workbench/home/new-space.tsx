import { z } from 'zod'
import { organization } from '../../access/guards/organization.ts'
import { placeToCreate } from '../../access/guards/placement.ts'
import { createSpace } from '../../actions/spaces/create-space.ts'
import { listTemplates, readTemplate } from '../../actions/spaces/read-templates.ts'
import { lineOfText } from '../../lib/line-of-text.ts'
import { form, page } from '../frame/page.ts'
import { Form, type Option, Select, Submit, TextField } from '../parts/form.tsx'
import { newSpacePath } from './rows.tsx'

/** What a space begins with, besides the templates. */
const starts = {
  page: 'An empty page',
  files: 'Files that you import next',
} as const

/** What the name of a template has before its id: a template may be called "page". */
const ofTemplate = 'template:'

const Start = z
  .string()
  .max(200)
  .default('page')
  .refine(start => start in starts || start.startsWith(ofTemplate), 'is not in the list')

export const newSpace = page({
  path: '/new/:organizationId/space',
  scope: 'content:read',
  access: organization('create'),
  load: async ({ ctx, organization: { id, title } }) => {
    const templates = await listTemplates(ctx)
    const usable = templates.filter(({ issue }) => issue === undefined)
    return { id, title, templates: usable }
  },
  view: ({ id, title, templates }) => ({
    title: 'New space',
    crumbs: [{ title: 'Home', to: '' }],
    body: (
      <Form to={newSpacePath(id)} class="stacked">
        <p class="muted">
          A space is a Git repository of {title} with pages of its own. Readers see it once a site
          shows it.
        </p>
        <TextField name="title" label="Title" required maxlength={50} />
        <Select
          name="start"
          label="It begins with"
          value="page"
          options={[
            ...Object.entries(starts).map(([value, words]) => ({ value, title: words })),
            ...templates.map(
              (each): Option => ({
                value: ofTemplate + each.id,
                title: `The template “${each.title}”`,
              }),
            ),
          ]}
        />
        <Submit kind="primary">Create space</Submit>
      </Form>
    ),
  }),
})

export const addSpace = form({
  path: '/new/:organizationId/space',
  scope: 'spaces:write',
  access: organization('create'),
  body: z.object({ title: lineOfText(1, 50), start: Start }),
  shownOn: ({ organizationId }) => newSpacePath(organizationId),
  act: async ({ ctx, organization: { id }, by, me, body: { title, start } }) => {
    placeToCreate(ctx, id, null, me.id)
    const wanted = start.startsWith(ofTemplate) ? start.slice(ofTemplate.length) : undefined
    const template = wanted === undefined ? undefined : await readTemplate(ctx, wanted)
    const isForFiles = start === 'files'
    const space = await createSpace(
      ctx,
      {
        organization_id: id,
        title,
        empty: isForFiles,
        ...(template && { template: { operation: 'apply_template', template, refs: {} } }),
      },
      me,
      undefined,
      by.origin,
    )
    return {
      to: isForFiles ? `/s/${space.id}/import` : `/s/${space.id}`,
      notice: isForFiles
        ? `“${title}” was created. Choose its files next.`
        : `“${title}” was created.`,
    }
  },
})
