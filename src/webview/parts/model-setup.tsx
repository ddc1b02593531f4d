import { useEffect, useState } from 'preact/hooks';
import type { OfferView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';

/** Below a response without a model: ways to a model, which then responds to the same message. */
export function ModelSetup({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const { transcript, model, status } = session;
  const last = transcript.at(transcript.total - 1);
  // Of a chat that was imported the last reply is some model's, and nothing asks for another.
  const isAnswered = status.readOnly === null && last?.model === 'local' && !last.streaming;
  const isNeeded = model.assumed && model.provider === 'local' && isAnswered;
  const [offers, setOffers] = useState<readonly OfferView[]>([]);
  useEffect(() => {
    setOffers([]);
    if (isNeeded) void page.ask('offerModels', {}).then((found) => setOffers(found ?? []));
  }, [isNeeded, session.id]);
  if (!isNeeded || offers.length === 0) return null;
  const take = async (offer: number): Promise<void> => {
    if (await page.ask('takeOffer', { offer })) await page.ask('retry', { message: last.id });
  };
  return (
    <section class="model-setup" aria-labelledby="model-setup">
      <h2 id="model-setup">{text('Select a model to get a response')}</h2>
      <div class="row-of-buttons">
        {offers.map(({ label, detail }, index) => (
          <button
            key={label}
            type="button"
            class={index === 0 ? 'button' : 'button secondary'}
            onClick={() => void take(index)}
          >
            {label}
            {detail !== '' && <span class="offer-detail">{detail}</span>}
          </button>
        ))}
      </div>
    </section>
  );
}
