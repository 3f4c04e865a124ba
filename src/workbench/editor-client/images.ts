import { endingOfImage, imageKinds, inMegabytes, shortName } from '../../content/image-types.ts'

/** What the server answers to an image that is announced. */
type Announced = { url: string; target: string }

/** Returns why an image is not taken; undefined for one that is. */
export function whyNot(
  { name, type, size }: Pick<File, 'name' | 'type' | 'size'>,
  mostBytes: number,
): string | undefined {
  if (endingOfImage(type) === undefined)
    return `“${shortName(name)}” is not an image that pages show: ${imageKinds}.`
  if (size === 0) return `“${shortName(name)}” is empty.`
  return size > mostBytes
    ? `“${shortName(name)}” has ${inMegabytes(size)}: images may have up to ${inMegabytes(mostBytes)}.`
    : undefined
}

/** Returns the images that were pasted or dropped. */
export const imagesIn = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))

type Sending = { address: string; csrf: string; told: (part: number) => void }

/** Sends an image, and returns its target in the text. Throws an Error with a sentence. */
export async function sendImage(file: File, { address, csrf, told }: Sending): Promise<string> {
  const { name, type, size } = file
  const body = new URLSearchParams({ csrf, name: name.slice(0, 2_000), type, size: String(size) })
  const headers = { accept: 'application/json' }
  const reply = await fetch(address, { method: 'POST', body, headers })
  const answer = (await reply.json().catch(() => ({}))) as Partial<Announced> & Refused
  const { url, target } = answer
  if (!reply.ok || url === undefined || target === undefined) throw refusalOf(answer, reply.status)
  await sendBytes(url, file, told)
  return target
}

type Refused = { error?: { message?: string } }

const refusalOf = ({ error }: Refused, status: number): Error =>
  new Error(error?.message ?? `The server answers ${status}: the image was not sent.`)

/** Sends bytes; `fetch` does not tell how far it is. */
const sendBytes = (url: string, file: File, told: (part: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const failed = () => reject(new Error('The image was not sent: the server does not answer.'))
    request.open('PUT', new URL(url, location.href).href)
    request.upload.addEventListener('progress', ({ loaded, total }) => told(loaded / total))
    request.addEventListener('error', failed)
    request.addEventListener('load', () => {
      if (request.status === 204) resolve()
      else reject(refusalOf(parsed(request.responseText), request.status))
    })
    request.send(file)
  })

function parsed(text: string): Refused {
  try {
    return JSON.parse(text) as Refused
  } catch {
    return {}
  }
}
