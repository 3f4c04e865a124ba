import { z } from 'zod'
import type { SpaceGrant } from '../../access/guards/space.ts'
import { createChangeRequest } from '../../actions/change-requests/create-change-request.ts'
import { checkImportPage } from '../../actions/importing/check-page.ts'
import { startImport } from '../../actions/importing/start-import.ts'
import { announceUpload } from '../../actions/uploads/announce-upload.ts'
import { receiveUpload } from '../../actions/uploads/receive-upload.ts'
import { removeExpiredUploads, removeUpload } from '../../actions/uploads/remove-uploads.ts'
import { keyOf } from '../../actions/uploads/upload-files.ts'
import { inMegabytes } from '../../content/image-types.ts'
import { invalid } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { listImportRuns } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow, UploadRow } from '../../store/tables/rows.ts'
import { type Done, type FileField, form, type PageInput, page, type View } from '../frame/page.ts'
import { baseOf, contentOf, inRequest, inSpace, type Organizer } from '../organize/in-request.ts'
import { type PlaceOption, placesIn } from '../organize/places.ts'
import { FileInput, Form, Select, Submit } from '../parts/form.tsx'
import { Row, Rows, Section } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'
import { importPath, stateOf } from './state.ts'

/** The most earlier imports that are shown. */
const mostShown = 10

const ImportForm = z.object({ into: z.string().max(100).default('') })

type Loaded = {
  space: { id: string; title: string }
  base: string
  number: number | undefined
  places: readonly PlaceOption[]
  mostBytes: number
  earlier: readonly ImportRunRow[]
}

async function load(asked: Organizer): Promise<Loaded> {
  const { ctx, space, changeRequest } = asked
  const { content } = await contentOf(asked)
  const filter = { spaceId: space.id, changeRequestId: changeRequest?.id }
  return {
    space: { id: space.id, title: space.title },
    base: baseOf(asked),
    number: changeRequest?.number,
    places: placesIn(content),
    mostBytes: ctx.config.maxUploadBytes,
    earlier: listImportRuns(ctx.store, space.organization_id, filter, mostShown),
  }
}

const view = ({ space, base, number, places, mostBytes, earlier }: Loaded): View => ({
  title: 'Import files',
  crumbs: [
    { title: space.title, to: `/s/${space.id}` },
    ...(number === undefined ? [] : [{ title: `#${number}`, to: base }]),
  ],
  body: (
    <>
      <p class="muted">
        {number === undefined
          ? 'The pages go into a new change request: readers see nothing until it is merged.'
          : `The pages go into #${number}: readers see nothing until it is merged.`}
      </p>
      <Form to={`${base}/import`} class="section" hasFile>
        <Select name="into" label="Parent page" options={places} />
        <FileInput
          name="file"
          label="File"
          accept=".zip,.md,.markdown,.mdx,.html,.htm,.docx"
          hint={`A page in Markdown or HTML, a Word document (.docx), or a zip of a folder with pages and pictures, up to ${inMegabytes(mostBytes)}. Links between the pages are kept.`}
        />
        <Submit kind="primary">Import</Submit>
      </Form>
      {earlier.length > 0 && (
        <Section title="Earlier imports" id="earlier">
          <Rows>
            {earlier.map(run => (
              <Row
                to={importPath(run)}
                title={stateOf(run).title}
                end={<Time at={run.created_at} />}
              />
            ))}
          </Rows>
        </Section>
      )}
    </>
  ),
})

type Importer = Organizer & Pick<PageInput, 'ctx' | 'actor' | 'request'>

/** The field that takes the file of an import, without a script. */
const importField: FileField<Importer, UploadRow, SpaceGrant> = {
  name: 'file',
  mostBytes: ({ config }) => config.maxUploadBytes,
  take: async ({ ctx, actor }, { name, most, chunks }, write) => {
    await removeExpiredUploads(ctx)
    const { row } = await write(
      inTransaction(({ space, user }) =>
        announceUpload(ctx, {
          organizationId: space.organization_id,
          userId: user.id,
          tokenId: actor.token.id,
          name: name.slice(0, 1_000) || 'file',
          size: most,
        }),
      ),
    )

    try {
      await receiveUpload(ctx, row, chunks, 'at most')
    } catch (error) {
      await removeUpload(ctx, row)
      throw error
    }
    return row
  },
  drop: removeUpload,
}

/** Starts an import into the change request of an organizer, or into a new one. */
async function act(
  asked: Importer & { body: z.output<typeof ImportForm>; file: UploadRow | undefined },
) {
  const { ctx, space, user, file, body, request } = asked
  const place = { spaceId: space.id, pageId: body.into || undefined }
  await checkImportPage(ctx, user, { ...place, changeRequest: asked.changeRequest?.id })
  if (!file) throw invalid('No file was chosen: choose a file first.')
  const target = { ...place, organizationId: space.organization_id, files: [keyOf(file)] }
  const { id } =
    asked.changeRequest ??
    (await createChangeRequest(ctx, {
      ...{ space, by: user, subject: '', description: null },
      origin: request.origin,
    }))
  return inTransaction((granted: SpaceGrant): Done => {
    const run = startImport(ctx, granted.user, { ...target, changeRequest: id })
    return { to: importPath(run) }
  })
}

export const importIntoSpace = page({
  path: `${inSpace.base}/import`,
  scope: 'content:read',
  access: inSpace.access,
  load,
  view,
})

export const importIntoRequest = page({
  path: `${inRequest.base}/import`,
  scope: 'content:read',
  access: inRequest.access,
  load,
  view,
})

export const startImportInSpace = form({
  path: `${inSpace.base}/import`,
  scope: ['change-requests:write', 'content:write'],
  access: inSpace.access,
  body: ImportForm,
  file: importField,
  shownOn: ({ spaceId }) => `/s/${spaceId}/import`,
  act,
})

export const startImportInRequest = form({
  path: `${inRequest.base}/import`,
  scope: ['change-requests:write', 'content:write'],
  access: inRequest.access,
  body: ImportForm,
  file: importField,
  shownOn: ({ spaceId, changeRequestId }) => `/s/${spaceId}/changes/${changeRequestId}/import`,
  act,
})
