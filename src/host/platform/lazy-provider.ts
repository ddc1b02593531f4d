import * as vscode from 'vscode';

type EventName<P> = keyof P & `onDid${string}`;
type MethodName<P> = Exclude<
  { [K in keyof P]-?: NonNullable<P[K]> extends (...args: never[]) => unknown ? K : never }[keyof P],
  EventName<P>
>;

/** The methods and events of a provider, and an end. */
export type LazyProvider<P> = Pick<P, MethodName<P> | EventName<P>> & { dispose(): void };

/**
 * A provider for the editor whose methods and events all come from one that is loaded when a method is first called.
 * `methods` has to name every method of the editor's interface: the editor looks which optional ones are there, so
 * one that is left out here would be lost without a word.
 */
export function lazyProvider<P extends object>(
  find: () => Promise<P>,
  methods: Readonly<Record<MethodName<P>, true>>,
  ...events: readonly EventName<P>[]
): LazyProvider<P> {
  const emitters = new Map(events.map((name) => [name, new vscode.EventEmitter<unknown>()]));
  const subscriptions: vscode.Disposable[] = [];
  let followed: P | undefined;
  const found = async (): Promise<P> => {
    const provider = await find();
    if (followed === provider) return provider;
    followed = provider;
    for (const subscription of subscriptions.splice(0)) subscription.dispose();
    // What changed before the first call is in its answer.
    for (const [name, emitter] of emitters) {
      const event = provider[name] as vscode.Event<unknown> | undefined;
      if (event) subscriptions.push(event((value) => emitter.fire(value)));
    }
    return provider;
  };
  const call = async (name: keyof P, args: readonly unknown[]): Promise<unknown> => {
    const provider = await found();
    const method = provider[name];
    return typeof method === 'function' ? (method.apply(provider, args) as unknown) : undefined;
  };
  const names = Object.keys(methods) as MethodName<P>[];
  return {
    ...Object.fromEntries(names.map((name) => [name, (...args: readonly unknown[]) => call(name, args)])),
    ...Object.fromEntries([...emitters].map(([name, emitter]) => [name, emitter.event])),
    dispose: () => {
      for (const subscription of [...subscriptions, ...emitters.values()]) subscription.dispose();
    },
    // The compiler cannot see that names and methods were paired above.
  } as LazyProvider<P>;
}
