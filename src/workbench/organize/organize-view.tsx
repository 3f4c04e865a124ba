import { type Direction, moveBy } from '../../actions/writing/moves.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { View } from '../frame/page.ts'
import { Checkbox, Form, Hidden, Submit, TextField } from '../parts/form.tsx'
import { A, ButtonLink } from '../parts/link.tsx'
import { Badge, Empty, Section } from '../parts/pieces.tsx'

/** The most entries that a page shows. */
const mostShown = 3_000

/** A table of contents that is organized. */
export type Organized = {
  space: { id: string; title: string }
  /** The path that the paths of its pages begin with, and the number of its change request. */
  base: string
  number: number | undefined
  content: ContentTree
  /** The entry whose settings are open. */
  chosen: PageNode | undefined
}

/** Returns the page that organizes a table of contents. */
export function organizeView(organized: Organized): View {
  const { space, base, number, content, chosen } = organized
  return {
    title: 'Organize pages',
    crumbs: [
      { title: space.title, to: `/s/${space.id}` },
      ...(number === undefined ? [] : [{ title: `#${number}`, to: base }]),
    ],
    actions: (
      <>
        <ButtonLink to={`${base}/new`} class="primary">
          New page
        </ButtonLink>
        <ButtonLink to={`${base}/import`}>Import files</ButtonLink>
      </>
    ),
    styles: ['editor.css'],
    body: (
      <>
        <p class="muted">
          {number === undefined
            ? 'The first change opens a change request: readers see nothing until it is merged.'
            : `Every change is saved in #${number} immediately. Readers see nothing until it is merged.`}
        </p>
        {chosen && <Chosen {...organized} chosen={chosen} />}
        <Section title="Table of contents" id="contents">
          {content.pages.length === 0 ? (
            <Empty>There are no pages yet.</Empty>
          ) : (
            <Form to={`${base}/organize`} name="move" label="Table of contents">
              <Entries {...organized} pages={content.pages} left={{ count: mostShown }} />
            </Form>
          )}
        </Section>
        <Section title="New group" id="new-group">
          <Form to={`${base}/organize`} name="group">
            <TextField name="title" label="Title of the group" required maxlength={300} />
            <Submit name="do" value="group">
              Add the group
            </Submit>
          </Form>
        </Section>
      </>
    ),
  }
}

type EntriesProps = Organized & { pages: readonly PageNode[]; left: { count: number } }

function Entries({ pages, left, ...organized }: EntriesProps) {
  return (
    <ul class="plain organize">
      {pages.map(page => {
        if (left.count-- <= 0) return null
        return (
          <li id={`p-${page.id}`}>
            <Entry {...organized} page={page} />
            {page.pages.length > 0 && <Entries {...organized} pages={page.pages} left={left} />}
          </li>
        )
      })}
      {left.count < 0 && <li class="muted">The list is cut here. Move further pages with Git.</li>}
    </ul>
  )
}

const arrows: Readonly<Record<Direction, { face: string; label: string }>> = {
  up: { face: '↑', label: 'up' },
  down: { face: '↓', label: 'down' },
  out: { face: '←', label: 'out of what is above it' },
  in: { face: '→', label: 'below the one before it' },
}

function Entry({ content, base, page, chosen }: Organized & { page: PageNode }) {
  const { id, title, emoji, type, facts } = page
  return (
    <div class={type === 'group' ? 'entry group' : 'entry'}>
      <A to={`${base}/organize?page=${id}#chosen`} current={chosen === page} class="name">
        {emoji && `${emoji} `}
        {title}
      </A>
      {facts?.frontMatter.hidden && <Badge>hidden</Badge>}
      {type === 'link' && <Badge>link</Badge>}
      <span class="moves">
        {(Object.keys(arrows) as Direction[]).map(direction => (
          <button
            type="submit"
            name="do"
            value={`${direction} ${id}`}
            disabled={moveBy(content, page, direction) === undefined}
            aria-label={`Move “${title}” ${arrows[direction].label}`}
            title={`Move ${arrows[direction].label}`}
          >
            {arrows[direction].face}
          </button>
        ))}
      </span>
    </div>
  )
}

/** Returns what can be done with one entry besides moving it. */
function Chosen({ base, chosen: page }: Organized & { chosen: PageNode }) {
  const { id, title, type, slug, facts } = page
  const isDocument = type === 'document'
  return (
    <Section title={title} id="chosen">
      <Form to={`${base}/organize`} name="rename">
        <Hidden name="page" value={id} />
        <TextField name="title" label="Title" value={title} required maxlength={300} />
        {(isDocument || type === 'group') && (
          <TextField
            name="slug"
            label="Address"
            value={slug}
            maxlength={100}
            hint="The last part of the address. Links to the page follow."
          />
        )}
        {isDocument && (
          <>
            <Checkbox name="redirect" label="Redirect the old address to the new one" checked />
            <Checkbox
              name="hidden"
              label="Hide it in the table of contents"
              checked={facts?.frontMatter.hidden === true}
            />
          </>
        )}
        <Submit kind="primary" name="do" value="rename">
          Save
        </Submit>{' '}
        {isDocument && (
          <>
            <ButtonLink to={`${base}/edit/${id}`}>Edit the text</ButtonLink>{' '}
            <ButtonLink to={`${base}/new?into=${id}`}>New page below</ButtonLink>{' '}
          </>
        )}
        {type === 'group' && (
          <>
            <ButtonLink to={`${base}/new?into=${id}`}>New page in the group</ButtonLink>{' '}
          </>
        )}
        <ButtonLink to={`${base}/delete/${id}`} class="danger">
          Delete…
        </ButtonLink>
      </Form>
    </Section>
  )
}
