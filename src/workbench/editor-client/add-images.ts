import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { imageInMarkdown, imagesAccepted, inMegabytes } from '../../content/image-types.ts'
import { imagesIn, sendImage, whyNot } from './images.ts'

type Options = {
  /** The address that announces images. */
  address: string
  mostBytes: number
  csrf: () => string
  told: (text: string) => void
}

/** Adds images to a text: those that are chosen, pasted or dropped. */
export class Images {
  readonly #options: Options
  /** Where the images that are being sent will stand; edits of the text move them. */
  readonly #places = new Set<{ at: number }>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Whether images are being sent. */
  get isSending(): boolean {
    return this.#places.size > 0
  }

  /** What stands beside the button: the limit is known before an image is chosen. */
  get limit(): string {
    return `up to ${inMegabytes(this.#options.mostBytes)} each`
  }

  get label(): string {
    return `Image (${this.limit})`
  }

  /** Lets images be pasted into an editor, and dropped on it. */
  extension(): Extension {
    const take = (event: Event, data: DataTransfer | null, view: EditorView, at: number) => {
      const files = imagesIn(data)
      if (files.length === 0) return false
      event.preventDefault()
      void this.#add(view, files, at)
      return true
    }

    return [
      EditorView.domEventHandlers({
        paste: (event, view) =>
          // Text that was copied with its picture, as from a table, is pasted as text.
          !event.clipboardData?.types.includes('text/plain') &&
          take(event, event.clipboardData, view, view.state.selection.main.to),
        drop: (event, view) => {
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
          return take(event, event.dataTransfer, view, at ?? view.state.doc.length)
        },
      }),
      EditorView.updateListener.of(({ changes, docChanged }) => {
        if (docChanged) for (const place of this.#places) place.at = changes.mapPos(place.at, 1)
      }),
    ]
  }

  /** Opens the dialog in which files are chosen. */
  choose(view: EditorView): boolean {
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', accept: imagesAccepted, multiple: true })
    input.addEventListener('change', () => {
      void this.#add(view, [...(input.files ?? [])], view.state.selection.main.to)
    })
    input.click()
    return true
  }

  async #add(view: EditorView, files: readonly File[], at: number): Promise<void> {
    const { address, csrf, mostBytes, told } = this.#options
    const problems: string[] = []
    const place = { at }
    this.#places.add(place)

    for (const [index, file] of files.entries()) {
      const which = files.length > 1 ? `image ${index + 1} of ${files.length}` : 'the image'
      const tell = (part: number) => told(`Sending ${which}: ${Math.floor(part * 100)} %`)
      try {
        const refusal = whyNot(file, mostBytes)
        if (refusal !== undefined) throw new Error(refusal)
        tell(0)
        const target = await sendImage(file, { address, csrf: csrf(), told: tell })
        insert(view, place.at, imageInMarkdown(file.name, target))
      } catch (error) {
        problems.push((error as Error).message)
      }
    }

    this.#places.delete(place)
    const added = files.length - problems.length
    const done = added === 1 ? 'The image was added.' : `${added} images were added.`
    told(problems.length > 0 ? problems.join(' ') : done)
  }
}

/** Inserts an image at a place, which is behind it afterwards; on a line of its own if that is empty. */
function insert(view: EditorView, at: number, image: string): void {
  const line = view.state.doc.lineAt(at)
  const before = at > line.from && !/\s$/.test(line.text.slice(0, at - line.from)) ? ' ' : ''
  const after = at < line.to && !/^\s/.test(line.text.slice(at - line.from)) ? ' ' : ''
  const text = before + image + after
  view.dispatch({
    changes: { from: at, insert: text },
    selection: { anchor: at + text.length },
    scrollIntoView: true,
    userEvent: 'input.image',
  })
  view.focus()
}
