import { z } from 'zod'
import { backlinksOf, linksOfRevision } from '../../actions/links/read-links.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import { type Done, form, page, type View } from '../frame/page.ts'
import { fieldProblem } from '../frame/problems.ts'
import { Checkbox, Choice, Form, Hidden, Select, Submit } from '../parts/form.tsx'
import { A } from '../parts/link.tsx'
import { Note, Row, Rows, Section } from '../parts/pieces.tsx'
import {
  baseOf,
  change,
  contentOf,
  inRequest,
  inSpace,
  type Organizer,
  pageIn,
} from './in-request.ts'

/** The most links that are listed, and the most pages that links can lead to instead. */
const mostLinks = 100
const mostPages = 2_000

const DeleteForm = z.object({
  revision: z.string().regex(/^[0-9a-f]{40}$/, 'takes the 40 hex digits of a revision'),
  links: z.enum(['keep', 'text', 'replace']).default('keep'),
  replace: z.string().max(100).default(''),
  redirect: z.literal('on').optional(),
})

type Asking = {
  space: { id: string; title: string }
  base: string
  number: number | undefined
  revision: string
  node: PageNode
  /** How many pages stand below it. */
  below: number
  inbound: readonly { source: string; line: number; page: PageNode | undefined }[]
  others: readonly { value: string; title: string }[]
}

async function load(asked: Organizer & { params: { pageId: string } }): Promise<Asking> {
  const { ctx, space, changeRequest, params } = asked
  const view = await contentOf(asked)
  const node = pageIn(view, params.pageId)
  const gone = withBelow(node)
  const links = await linksOfRevision(ctx, space.id, view)
  const found = await Promise.all(
    gone.map(({ id }) => backlinksOf(links, view, { kind: 'page', id })),
  )
  const inbound = found.flat().map(({ source, line }) => ({
    source,
    line,
    page: view.content.pageByFile.get(source),
  }))

  return {
    space: { id: space.id, title: space.title },
    base: baseOf(asked),
    number: changeRequest?.number,
    revision: view.oid,
    node,
    below: gone.length - 1,
    inbound: inbound.filter(({ page }) => !page || !gone.includes(page)),
    others: othersIn(view, gone),
  }
}

/** Returns a page and all pages below it. */
function withBelow(node: PageNode): PageNode[] {
  const all = [node]
  for (const each of all) all.push(...each.pages)
  return all
}

function othersIn({ content }: RevisionView, gone: readonly PageNode[]) {
  const left = [...content.pageById.values()].filter(
    each => each.type === 'document' && !gone.includes(each),
  )
  return left.slice(0, mostPages).map(each => {
    const above = parentOf(content, each)?.title
    return { value: each.id, title: above === undefined ? each.title : `${above} / ${each.title}` }
  })
}

const linkChoices = [
  {
    value: 'text',
    title: 'They become text',
    hint: 'The links are removed, and their text stays.',
  },
  { value: 'replace', title: 'They lead to another page' },
  { value: 'keep', title: 'They stay, and are broken' },
]

function view(asking: Asking): View {
  const { space, base, number, node, below, inbound, others, revision } = asking
  return {
    title: `Delete “${node.title}”`,
    crumbs: [
      { title: space.title, to: `/s/${space.id}` },
      ...(number === undefined ? [] : [{ title: `#${number}`, to: base }]),
      { title: 'Organize pages', to: `${base}/organize` },
    ],
    body: (
      <>
        {below > 0 && (
          <Note tone="warning">
            {node.type === 'group' ? 'The group' : 'The page'} has {below}{' '}
            {below === 1 ? 'page' : 'pages'} below it, which {below === 1 ? 'is' : 'are'} deleted,
            too.
          </Note>
        )}
        <Inbound {...asking} />
        <Form to={`${base}/delete/${node.id}`}>
          <Hidden name="revision" value={revision} />
          {inbound.length > 0 && (
            <Choice
              name="links"
              label="What happens to these links"
              value="text"
              options={linkChoices}
            />
          )}
          <Select
            name="replace"
            label="Replacement page"
            hint={
              inbound.length > 0
                ? 'For links that lead to another page, and for readers.'
                : undefined
            }
            options={[{ value: '', title: 'None' }, ...others]}
          />
          <Checkbox
            name="redirect"
            label="Redirect the old address to the replacement page"
            checked
          />
          <p class="muted">
            {number === undefined
              ? 'This opens a change request. Readers see the page until it is merged.'
              : `This is saved in #${number}. Readers see the page until it is merged.`}
          </p>
          <Submit kind="danger">Delete</Submit>
        </Form>
      </>
    ),
  }
}

const Inbound = ({ inbound, base }: Asking) => (
  <Section title="What links to it" id="inbound" count={inbound.length}>
    {inbound.length === 0 ? (
      <p class="muted">Nothing in this space links to it.</p>
    ) : (
      <Rows>
        {inbound.slice(0, mostLinks).map(({ source, line, page: linking }) => (
          <Row
            title={linking ? <A to={`${base}/edit/${linking.id}`}>{linking.title}</A> : source}
            small={`${source}, line ${line}`}
          />
        ))}
        {inbound.length > mostLinks && <Row title={`and ${inbound.length - mostLinks} more`} />}
      </Rows>
    )}
  </Section>
)

/** Returns the page that takes the place of a deleted one. Throws 'invalid' for answers that do not fit. */
function heirOf({ links, replace }: z.output<typeof DeleteForm>): string | undefined {
  if (links === 'replace' && replace === '')
    throw fieldProblem('replace', 'needs the page that the links lead to instead')
  if (links === 'text' && replace !== '')
    throw fieldProblem('links', 'cannot both become text and lead to another page')
  return replace || undefined
}

async function act(
  asked: Parameters<typeof change>[0] & {
    params: { pageId: string }
    body: z.output<typeof DeleteForm>
  },
): Promise<Done> {
  const view = await contentOf(asked)
  const { title, id } = pageIn(view, asked.params.pageId)
  const { links, redirect, revision } = asked.body
  const heir = heirOf(asked.body)
  const { base, number } = await change(asked, [
    {
      operation: 'delete_page',
      page: id,
      baseRevision: revision,
      ...(heir === undefined
        ? { rewriteLinks: links === 'text' }
        : { replaceWith: heir, redirect: redirect === 'on' }),
    },
  ])
  return { to: `${base}/organize`, notice: `“${title}” was deleted in #${number}.` }
}

export const deletePageOfSpace = page({
  path: `${inSpace.base}/delete/:pageId`,
  scope: 'content:read',
  access: inSpace.access,
  load,
  view,
})

export const deletePageOfRequest = page({
  path: `${inRequest.base}/delete/:pageId`,
  scope: 'content:read',
  access: inRequest.access,
  load,
  view,
})

export const deleteInSpace = form({
  path: `${inSpace.base}/delete/:pageId`,
  scope: 'change-requests:write',
  access: inSpace.access,
  body: DeleteForm,
  shownOn: ({ spaceId, pageId }) => `/s/${spaceId}/delete/${pageId}`,
  act,
})

export const deleteInRequest = form({
  path: `${inRequest.base}/delete/:pageId`,
  scope: 'change-requests:write',
  access: inRequest.access,
  body: DeleteForm,
  shownOn: ({ spaceId, changeRequestId, pageId }) =>
    `/s/${spaceId}/changes/${changeRequestId}/delete/${pageId}`,
  act,
})
