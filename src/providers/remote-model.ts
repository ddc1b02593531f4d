import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import { forLog, toModelFault } from './fault-map.ts';
import { ask, parseBaseUrl, type ServerAccess } from './http.ts';
import type { ListedModel } from './listed-model.ts';
import { Tolerance, type Api, type Tolerated } from './tolerance.ts';
import { askWatched, runWatched, type CallLimits, type WatchedCall } from './watched-call.ts';

/** What the user has chosen of a model behind an address. */
export interface RemoteSettings extends Partial<CallLimits> {
  readonly model: string;
  /** May be missing at an address of the user's own, where a server may ask for none. */
  readonly apiKey?: string;
  /** Default: the vendor's own. */
  readonly baseUrl?: string;
}

/** A model behind an address. */
export interface RemoteModel extends ChatModel {
  /** The models that the server offers, sorted. Throws `ModelFault`. */
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
}

/** How a server is spoken to. */
export interface Endpoint {
  readonly provider: string;
  readonly api: Api;
  /** The vendor's name where the address is its own, which needs a key. */
  readonly vendor: string | undefined;
  /** Where turns are sent. */
  readonly url: string;
  readonly access: ServerAccess;
  readonly body: (tolerated: Tolerated) => object;
  readonly read: (response: Response, call: WatchedCall) => AsyncIterable<ChatChunk>;
  readonly list: (call: WatchedCall) => Promise<readonly ListedModel[]>;
  /** Input tokens of a request, where the server counts them. */
  readonly count?: (request: ChatRequest, call: WatchedCall) => Promise<number>;
}

/** Requests that a vendor's own address answers at once; other servers may be the user's own and would queue them. */
const HOSTED_AT_ONCE = 24;

/** A chat model at an endpoint. */
export function remoteModel(settings: RemoteSettings, endpoint: Endpoint): RemoteModel {
  const { model, apiKey = '' } = settings;
  const { provider, vendor, url, access, list, count } = endpoint;
  const tolerance = new Tolerance(endpoint.api);
  const bodyOf = (tolerated: Tolerated): string => JSON.stringify(endpoint.body(tolerated));
  const toFault = (error: unknown): ModelFault => {
    const fault = forLog(toModelFault(error), apiKey);
    if (apiKey !== '' || fault.reason !== 'refused_key') return fault;
    // A server that wants a key was sent none.
    return new ModelFault('no_key', fault.message, { status: fault.status, cause: fault.cause });
  };
  const checkKey = (): void => {
    if (vendor !== undefined && apiKey === '') throw new ModelFault('no_key', `no key is set for ${vendor}`);
  };
  async function* open(request: ChatRequest, call: WatchedCall): AsyncGenerator<ChatChunk> {
    checkKey();
    const send = (tolerated: Tolerated): Promise<Response> => ask(url, access, call.signal, bodyOf(tolerated));
    yield* endpoint.read(await tolerance.send(request, send), call);
  }
  const askServer = <T>(signal: AbortSignal, what: (call: WatchedCall) => Promise<T>): Promise<T> => {
    const keyed = (call: WatchedCall): Promise<T> => {
      checkKey();
      return what(call);
    };
    return askWatched(signal, settings, keyed, toFault);
  };
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    ...(vendor !== undefined && { atOnce: HOSTED_AT_ONCE }),
    wireBody: (request) => bodyOf(tolerance.known(request)),
    stream: (request, signal) => runWatched(signal, settings, (call) => open(request, call), toFault),
    listModels: async (signal) => {
      const models = await askServer(signal, list);
      return [...models].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    ...(count && { countTokens: (request, signal) => askServer(signal, (call) => count(request, call)) }),
  };
}

/** The parts of a base URL. Throws `ModelFault` for what is none. */
export function serverAt(baseUrl: string | undefined, official: string): NonNullable<ReturnType<typeof parseBaseUrl>> {
  const parsed = parseBaseUrl(baseUrl?.trim() ? baseUrl : official);
  if (!parsed) throw new ModelFault('bad_request', 'the base URL is not an http or https address');
  return parsed;
}
