import type { PageFields } from '../../actions/writing/open-page.ts'
import { imageKinds, imagesAccepted, inMegabytes } from '../../content/image-types.ts'
import type { MergeHunk } from '../../content/text/merge.ts'
import type { View } from '../frame/page.ts'
import { Note } from '../parts/pieces.tsx'
import type { Entered } from '../parts/surroundings.ts'
import { useAt, useSurroundings } from '../parts/surroundings.ts'

/** A page that is written, as its form shows it. */
export type Written = {
  space: { id: string; title: string }
  page: { id: string; title: string }
  /** The path of the form below `/app`. */
  to: string
  /** Where the page is saved, and where it can be saved instead. */
  destination: string
  destinations: readonly { value: string; title: string }[]
  revision: string
  fields: PageFields
  /** The largest image that can be added, in bytes. */
  mostBytes: number
  message: string
  /** The text as readers will see it; undefined for one that is too long. */
  preview: string | undefined
  /** Why the page cannot be published directly; undefined where it can. */
  whyNotPublish: string | undefined
  /** What others changed in the same places. */
  overlap: { hunks: readonly MergeHunk[]; title: string | undefined } | undefined
  alert: string | undefined
  /** The line of an image that was just added to the end of the text. */
  added: string | undefined
}

/** Returns the page on which a page is written. */
export function editView(written: Written, nonce: string): View {
  const { space, page, destination } = written
  const isNew = destination === 'new'
  return {
    title: `Edit ${page.title}`,
    heading: null,
    crumbs: [
      { title: space.title, to: `/s/${space.id}` },
      ...(isNew ? [] : [{ title: `#${destination}`, to: `/s/${space.id}/changes/${destination}` }]),
      { title: page.title, to: `/s/${space.id}/p/${page.id}` },
    ],
    live: `/s/${space.id}/edit/${page.id}/live${isNew ? '' : `?in=${destination}`}`,
    width: 'full',
    styles: ['editor.css'],
    scripts: ['editor.js'],
    usesNonce: true,
    status: written.overlap || written.alert ? 409 : 200,
    body: <Writing {...written} nonce={nonce} />,
  }
}

/** Returns what is written as it was sent with a form that was not accepted. */
function withEntered(written: Written, entered: Entered | undefined): Written {
  if (entered?.to !== written.to) return written
  const { values, problems, alert } = entered
  const value = (name: string) => values.get(name) ?? ''
  const names = ['title', 'description', 'icon', 'cover', 'body'] as const
  const fields = Object.fromEntries(names.map(name => [name, value(name)])) as PageFields
  const sentences = Object.entries(problems).map(([name, problem]) => `${name}: ${problem}`)

  return {
    ...written,
    ...{ fields, message: value('message'), destination: value('to') || written.destination },
    revision: value('revision') || written.revision,
    alert: sentences.length > 0 ? sentences.join(' ') : alert,
  }
}

function Writing(given: Written & { nonce: string }) {
  const { csrf, entered, onShown } = useSurroundings()
  const at = useAt()
  const written = withEntered(given, entered)
  if (written !== given) onShown()
  const { space, page, to, revision, fields, overlap, alert, added } = written
  const { nonce } = given
  const base = `/s/${space.id}/edit/${page.id}`

  return (
    <form
      method="post"
      action={at(to)}
      enctype="multipart/form-data"
      class="editor"
      data-editor
      data-space={space.id}
      data-page={page.id}
      data-nonce={nonce}
      data-preview={at(`${base}/preview`)}
      data-links={at(`${base}/links?at=${revision}`)}
      data-images={at(`${base}/images`)}
      data-most-bytes={given.mostBytes}
      data-merged={overlap ? '' : undefined}
    >
      <input type="hidden" name="csrf" value={csrf} />
      <input type="hidden" name="revision" value={revision} />
      <DefaultButton />
      <h1 class="sr">Edit {page.title}</h1>
      {alert !== undefined && (
        <p class="alert" role="alert">
          {alert}
        </p>
      )}
      {added !== undefined && <Added line={added} />}
      {overlap && <Overlapping {...overlap} />}
      <div class="editor-title">
        <label for="title" class="sr">
          Title
        </label>
        <input id="title" name="title" value={fields.title} maxlength={300} dir="auto" required />
      </div>
      <More {...fields} />
      <div class="editor-toolbar" data-editor-toolbar />
      <Switch />
      <div class="editor-panes" data-shown="write">
        <div class="editor-write">
          <label for="body">Text in Markdown</label>
          <textarea id="body" name="body" dir="auto" rows={24} spellcheck>
            {`\n${fields.body}`}
          </textarea>
        </div>
        <Shown html={written.preview} />
      </div>
      <ImageField mostBytes={given.mostBytes} />
      <Saving {...written} />
    </form>
  )
}

const Added = ({ line }: { line: string }) => (
  <p class="notice" role="status">
    The image was added at the <a href="#body">end of the text</a>: <code>{line}</code>. Move this
    line to where the image belongs. It is saved with the text.
  </p>
)

/** Returns the button that the Enter key presses in a field: without it, the first one of the page. */
const DefaultButton = () => (
  <button type="submit" name="do" value="preview" class="sr preview" tabindex={-1} data-default>
    Preview
  </button>
)

/** Returns the field that adds an image without a script. Every button of the form sends it. */
const ImageField = ({ mostBytes }: { mostBytes: number }) => (
  <div class="editor-image field">
    <label for="image">Image</label>
    <div class="editor-choose">
      <input
        type="file"
        id="image"
        name="image"
        accept={imagesAccepted}
        aria-describedby="image-hint"
      />
      <button type="submit" class="btn" name="do" value="image" formnovalidate>
        Add the image
      </button>
    </div>
    <p class="small muted" id="image-hint">
      {imageKinds}, up to {inMegabytes(mostBytes)}. It is added at the end of the text, also by the
      buttons below.
    </p>
  </div>
)

/** Returns the buttons with which a script shows the source or the preview, where both have no room. */
const Switch = () => (
  <div class="editor-switch with-script">
    <button type="button" value="write" aria-pressed="true">
      Write
    </button>
    <button type="button" value="show" aria-pressed="false">
      Preview
    </button>
  </div>
)

/** Returns the fields that most pages leave empty. */
const More = ({ description, icon, cover }: PageFields) => (
  <details class="editor-more" open={description !== '' || icon !== '' || cover !== ''}>
    <summary>Description, icon and cover</summary>
    <div class="field">
      <label for="description">Description</label>
      <textarea id="description" name="description" rows={2} maxlength={5000} dir="auto">
        {`\n${description}`}
      </textarea>
    </div>
    <div class="editor-pair">
      <div class="field">
        <label for="icon">Icon</label>
        <input id="icon" name="icon" value={icon} maxlength={100} placeholder="book-open" />
      </div>
      <div class="field">
        <label for="cover">Cover</label>
        <input
          id="cover"
          name="cover"
          value={cover}
          maxlength={1000}
          placeholder=".gitbook/assets/cover.png"
        />
      </div>
    </div>
  </details>
)

const Shown = ({ html }: { html: string | undefined }) => (
  <section class="editor-shown" aria-label="Preview" tabindex={0}>
    {html === undefined ? (
      <div data-editor-preview class="prose">
        <p>This text is too long to be shown while it is written.</p>
      </div>
    ) : (
      <div data-editor-preview class="prose" dangerouslySetInnerHTML={{ __html: html }} />
    )}
  </section>
)

function Saving({ destination, destinations, message, whyNotPublish }: Written) {
  return (
    <footer class="editor-foot">
      <p class="editor-status" role="status" data-editor-status />
      <div class="editor-message field">
        <label for="message">What changed</label>
        <input
          id="message"
          name="message"
          value={message}
          maxlength={200}
          placeholder="Default: a summary of your changes"
          dir="auto"
        />
      </div>
      <div class="editor-to field">
        <label for="to">Save in</label>
        <select id="to" name="to">
          {destinations.map(({ value, title }) => (
            <option value={value} selected={value === destination}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="editor-buttons">
        <button type="submit" class="btn preview" name="do" value="preview" data-plain>
          Preview
        </button>
        {whyNotPublish === undefined && (
          <button type="submit" class="btn" name="do" value="publish">
            Publish now
          </button>
        )}
        <button type="submit" class="btn" name="do" value="save">
          Save
        </button>
        <button type="submit" class="btn primary" name="do" value="review">
          Save and ask for review
        </button>
      </div>
    </footer>
  )
}

/** Returns what two people changed in the same places: both texts of each. */
const Overlapping = ({ hunks, title }: NonNullable<Written['overlap']>) => (
  <section class="editor-overlap" aria-labelledby="overlap" role="alert">
    <h2 id="overlap">Others changed the same lines. Nothing is lost</h2>
    <p>
      Your text is merged below with what others saved. Where both changed the same lines, the text
      below is yours: copy what you need from theirs, and save again.
    </p>
    {title !== undefined && (
      <Note tone="warning">The page is now called “{title}”. Your title stands below.</Note>
    )}
    {hunks.map(({ ours, theirs, lines }, index) => (
      <div class="editor-hunk">
        <h3>
          Place {index + 1}, line {lines.ours}
        </h3>
        <div class="editor-pair">
          <div>
            <h4>Yours</h4>
            <pre tabindex={0}>{ours === '' ? '(removed)' : ours}</pre>
          </div>
          <div>
            <h4>Theirs</h4>
            <pre tabindex={0}>{theirs === '' ? '(removed)' : theirs}</pre>
          </div>
        </div>
      </div>
    ))}
  </section>
)
