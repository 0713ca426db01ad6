"""Promise: loss layers have the gradients of finite differences."""

import numpy as np
import pytest

from maxmargin._parts import HostLoss

SHAPES = {"multiclass": (5, 4), "chain": (5, 6, 4), "multilabel": (5, 4), "matching": (5, 3, 4)}


def batch(structure, boundary=False, seed=0):
    rng = np.random.default_rng(seed)
    host = HostLoss(structure, 4, boundary=boundary)
    scores = rng.normal(size=SHAPES[structure])
    shared = [rng.normal(size=shape) for shape in host.shared_shapes()]
    if structure == "multiclass":
        return scores, shared, rng.integers(0, 4, 5), None
    if structure == "chain":
        return scores, shared, rng.integers(0, 4, (5, 6)), np.array([6, 1, 3, 4, 5])
    if structure == "multilabel":
        return scores, shared, rng.integers(0, 2, (5, 4)), None
    targets = np.zeros((5, 3, 4), dtype=int)
    targets[:, 0, 1] = targets[:, 1, 0] = 1
    return scores, shared, targets, np.array([[3, 4], [2, 2], [3, 2], [2, 4], [3, 3]])


@pytest.mark.parametrize("surrogate", ["margin", "slack", "log"])
@pytest.mark.parametrize(("structure", "boundary"), [("multiclass", False), ("chain", False), ("chain", True), ("multilabel", False), ("matching", False)])
def test_gradients_are_those_of_finite_differences(structure, boundary, surrogate):
    host = HostLoss(structure, 4, boundary=boundary, surrogate=surrogate)
    scores, shared, targets, lengths = batch(structure, boundary)
    values, gradient, of_shared = host.values_and_gradients(scores, shared, targets, lengths)
    rng, step = np.random.default_rng(1), 1e-6
    direction = rng.normal(size=scores.shape)
    directions = [rng.normal(size=part.shape) for part in shared]
    ahead = host.values_and_gradients(scores + step * direction, [a + step * d for a, d in zip(shared, directions)], targets, lengths)[0]
    behind = host.values_and_gradients(scores - step * direction, [a - step * d for a, d in zip(shared, directions)], targets, lengths)[0]
    slopes = (gradient * direction).reshape(len(scores), -1).sum(axis=1)
    for part, d in zip(of_shared, directions):
        slopes += (part * d).reshape(len(scores), -1).sum(axis=1)
    assert np.allclose((ahead - behind) / (2 * step), slopes, atol=1e-4)


def test_the_best_labels_cost_nothing_where_margins_are_wide():
    host = HostLoss("chain", 4)
    scores, shared, targets, lengths = batch("chain")
    scores = 100.0 * np.eye(4)[targets]
    values, gradient, _ = host.values_and_gradients(scores, shared, targets, lengths)
    assert (values == 0).all() and (gradient == 0).all()
    for labels, truth, length in zip(host.decode(scores, shared, lengths), targets, lengths):
        assert np.array_equal(labels, truth[:length])


def test_what_does_not_fit_is_refused():
    host = HostLoss("chain", 4)
    scores, shared, targets, lengths = batch("chain")
    for wrong, name in [
        ((scores[..., :3], shared, targets, lengths), "scores"),
        ((scores[0], shared, targets, lengths), "scores"),
        ((scores, [], targets, lengths), "shared"),
        ((scores, shared, targets[:2], lengths), "targets"),
        ((scores, shared, targets - 5, lengths), "y"),
        ((scores, shared, targets + 9, lengths), "label"),
        ((scores, shared, targets, lengths + 9), "lengths"),
        ((scores * np.nan, shared, targets, lengths), "parts"),
    ]:
        with pytest.raises(ValueError, match=name):
            host.values_and_gradients(*wrong)
    with pytest.raises(ValueError, match="structure"):
        HostLoss("trees", 3)


@pytest.mark.parametrize("structure", list(SHAPES))
def test_layers_of_jax(structure):
    jax = pytest.importorskip("jax")
    from maxmargin.jax import StructuredLoss

    loss = StructuredLoss(structure, 4)
    scores, shared, targets, lengths = batch(structure)
    values, gradient, of_shared = loss.host.values_and_gradients(scores.astype(np.float32), [p.astype(np.float32) for p in shared], targets, lengths)
    upstream = np.arange(1.0, 6.0, dtype=np.float32)
    value = jax.jit(lambda s, p: (loss(s, *p, targets=targets, lengths=lengths) * upstream).sum())
    assert np.allclose(value(scores, shared), (values * upstream).sum(), rtol=1e-5)
    by_scores, by_shared = jax.grad(value, argnums=(0, 1))(scores.astype(np.float32), [p.astype(np.float32) for p in shared])
    assert np.allclose(by_scores, gradient * upstream.reshape(-1, *[1] * (scores.ndim - 1)), atol=1e-5)
    for a, b in zip(by_shared, of_shared):
        assert np.allclose(a, np.tensordot(upstream, b, axes=1), atol=1e-5)


@pytest.mark.parametrize("structure", list(SHAPES))
def test_layers_of_torch(structure):
    torch = pytest.importorskip("torch")
    from maxmargin.torch import StructuredLoss

    loss = StructuredLoss(structure, 4)
    scores, shared, targets, lengths = batch(structure)
    tensors = [torch.tensor(a, requires_grad=True) for a in [scores, *shared]]
    sizes = None if lengths is None else torch.tensor(lengths)
    run = lambda s, *p: loss(s, *p, targets=torch.tensor(targets), lengths=sizes)
    assert torch.autograd.gradcheck(run, tensors, eps=1e-6, atol=1e-4)


def test_nets_of_torch_learn():
    torch = pytest.importorskip("torch")
    from maxmargin.torch import StructuredLoss

    rng = np.random.default_rng(0)
    targets = rng.integers(0, 4, (64, 6))
    inputs = torch.tensor(np.eye(4)[targets] + 0.3 * rng.normal(size=(64, 6, 4)), dtype=torch.float32)
    net, transitions = torch.nn.Linear(4, 4), torch.nn.Parameter(torch.zeros(4, 4))
    loss, optimizer = StructuredLoss("chain", 4), torch.optim.Adam([*net.parameters(), transitions], lr=0.05)
    values = []
    for _ in range(40):
        optimizer.zero_grad()
        value = loss(net(inputs), transitions, targets=torch.tensor(targets)).mean()
        value.backward()
        optimizer.step()
        values.append(value.item())
    assert values[-1] < 0.1 * values[0]
    found = loss.decode(net(inputs), transitions)
    assert np.mean([np.mean(labels == truth) for labels, truth in zip(found, targets)]) > 0.97
