import type { ChangedFile } from '../../../actions/audience/compare.ts'
import { sizeText } from '../../../content/text/size-text.ts'
import type { View } from '../../frame/page.ts'
import { A } from '../../parts/link.tsx'
import { Empty } from '../../parts/pieces.tsx'
import { Incomparable } from '../overview/what-it-changes.tsx'
import { requestPath, withQuery } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import { SourceView } from '../source/source-view.tsx'
import { ViewedButton, ViewedSign, viewedCount } from '../viewed.tsx'
import { ImagePair } from './image-pair.tsx'
import { type FilesPage, type FileVersion, filesOfPart, type ShownFile } from './load.ts'
import { SpecView } from './spec-view.tsx'

/** Returns the files besides pages that a change request changes. */
export const filesView = (data: FilesPage): View =>
  requestView(data, 'files', {
    side:
      data.files.length > 0 ? { label: 'Changed files', body: <FileList {...data} /> } : undefined,
    width: 'full',
    keys: [
      ['n', 'go to the next file'],
      ['p', 'go to the file before'],
      ['j', 'show more files'],
      ['k', 'show the files before'],
    ],
    body: data.place.compared ? <Files {...data} /> : <Incomparable />,
  })

/** The most files that the list names. */
const mostListed = 1_000

const signs = { new: '+', changed: '~', removed: '−' } as const

/** Returns the path of the page, or of a file alone. */
const filesPath = ({ place }: FilesPage, query: Record<string, string | undefined> = {}) =>
  withQuery(`${requestPath(place.request)}/files`, query)

const Sign = ({ mark }: Pick<ChangedFile, 'mark'>) => (
  <>
    <span class="sign" aria-hidden="true">
      {signs[mark]}
    </span>
    <span class="sr">{mark}: </span>
  </>
)

function FileList(data: FilesPage) {
  const { files, shown, isAlone, viewed } = data
  const alone = isAlone ? shown[0]?.file.path : undefined
  return (
    <>
      <p class="small muted">{viewedCount(files.map(data.idOf), viewed)}</p>
      <ul class="plain changed-pages">
        {files.slice(0, mostListed).map(file => (
          <li class={file.mark}>
            <Sign mark={file.mark} />
            <A to={filesPath(data, { file: file.path })} current={file.path === alone}>
              <bdi>{file.path}</bdi>
            </A>
            {viewed.has(data.idOf(file) ?? '') && <ViewedSign />}
          </li>
        ))}
        {files.length > mostListed && <li class="muted">{files.length - mostListed} more</li>}
      </ul>
    </>
  )
}

function Files(data: FilesPage) {
  const { files, shown, isAlone, from } = data
  if (files.length === 0)
    return (
      <Empty>
        <p>It changes no file besides its pages.</p>
      </Empty>
    )
  const end = from + shown.length
  return (
    <>
      {isAlone && (
        <p>
          <A to={filesPath(data)}>All {files.length} files</A>
        </p>
      )}
      {!isAlone && (from > 0 || files.length > filesOfPart) && (
        <p class="muted small">
          {shown.length === 0
            ? `There are ${files.length} files.`
            : `Files ${from + 1} to ${end} of ${files.length}.`}
        </p>
      )}
      {shown.map(each => (
        <FileCard {...data} each={each} />
      ))}
      {!isAlone && <Parts {...data} />}
    </>
  )
}

function Parts(data: FilesPage) {
  const { files, from } = data
  const before = Math.max(0, Math.min(from, files.length) - filesOfPart)
  if (from === 0 && files.length <= filesOfPart) return null
  return (
    <nav class="neighbours" aria-label="Parts of the list">
      {from > 0 && (
        <A
          to={filesPath(data, { from: before === 0 ? undefined : String(before) })}
          class="btn"
          onKey="k"
        >
          ← Files before
        </A>
      )}
      {from + filesOfPart < files.length && (
        <A to={filesPath(data, { from: String(from + filesOfPart) })} class="btn" onKey="j">
          More files →
        </A>
      )}
    </nav>
  )
}

function FileCard({ each, ...data }: FilesPage & { each: ShownFile }) {
  const { file, before, after, isImage, spec } = each
  return (
    <section class={`file-card ${file.mark}`} aria-label={file.path} data-change="">
      <div class="file-head">
        <h2>
          <Sign mark={file.mark} />
          <A to={filesPath(data, { file: file.path })}>
            <bdi>{file.path}</bdi>
          </A>
        </h2>
        <span class="muted small">{sizesInWords(each)}</span>
        <span class="small">
          <Whole version={before} name="Before" />
          <Whole version={after} name="After" />
        </span>
        <Viewed {...data} file={file} />
      </div>
      {isImage && <ImagePair path={file.path} before={before} after={after} />}
      {spec && <SpecView spec={spec} />}
      <Text {...data} each={each} />
    </section>
  )
}

function Viewed({ file, ...data }: FilesPage & { file: ChangedFile }) {
  const { place, viewed, isAlone, from } = data
  const item = data.idOf(file)
  if (item === undefined) return null
  const query = isAlone ? { file: file.path } : { from: from === 0 ? undefined : String(from) }
  return (
    <ViewedButton
      path={requestPath(place.request)}
      back={withQuery('files', query)}
      kind="files"
      item={item}
      blob={file.oid}
      isViewed={viewed.has(item)}
    />
  )
}

/** Returns a link to a whole version of a file. */
const Whole = ({ version, name }: { version: FileVersion | undefined; name: string }) =>
  version?.size === undefined ? null : (
    <a href={version.href} class="whole">
      {name}
    </a>
  )

function sizesInWords({ file, before, after }: ShownFile): string {
  if (file.oid === file.former) return 'only the file mode differs'
  const sizes = [before?.size, after?.size].flatMap(size =>
    size === undefined ? [] : [sizeText(size)],
  )
  return sizes.length === 0 ? 'not a file of this space' : sizes.join(' → ')
}

/** The most lines of a file beside others. */
const mostLines = 300

/** Returns a text line by line; below an image or a spec, it is folded. */
function Text({ each, isAlone, ...data }: FilesPage & { each: ShownFile }) {
  const { source, spec, isImage, file } = each
  if (!source) return isImage ? null : <p class="muted small">This file is not text.</p>
  const to = filesPath({ ...data, isAlone }, { file: file.path })
  const rest = <A to={to}>Show the rest of it</A>
  const view = <SourceView source={source} {...(!isAlone && { most: mostLines, rest })} />
  if (!isImage && !spec) return view
  return (
    <details class="unchanged">
      <summary>Source</summary>
      {view}
    </details>
  )
}
