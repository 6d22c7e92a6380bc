#!/usr/bin/python3
"""Neural Thompson Sampling in plain PyTorch, as a user would write it: the released program's algorithm.

One hidden layer with biases, diagonal U grown by g^2 at selection, sigma = sqrt(lambda nu sum g^2 / U), J = 100 full-batch steps
of SGD (0.01, weight decay lambda / n) on the mean squared error after every round, started where the last training ended.

    released_torch.py mushroom --rounds 1000 --data DIR     prints one JSON line: rounds, regret, seconds
"""
import argparse
import gzip
import json
import pathlib
import time

import numpy as np
import torch


def read_csv(path):
    lines = [line.split(",") for line in gzip.open(path, "rt").read().split("\n") if line][1:]
    columns = [sorted(set(column)) for column in zip(*lines)]
    codes = np.array([[values.index(cell) for cell, values in zip(row, columns)] for row in lines], dtype=np.float32)
    return codes[:, :-1], codes[:, -1].astype(int)


def read_mnist(folder):
    def idx(name, skip):
        path = next(p for p in folder.iterdir() if p.name.startswith(name))
        return np.frombuffer(gzip.open(path).read(), dtype=np.uint8, offset=skip)

    return idx("train-images", 16).reshape(-1, 784).astype(np.float32), idx("train-labels", 8).astype(int)


def contexts_of(x, arms):
    """The disjoint model: x in block k of a K d vector, one row per arm."""
    out = np.zeros((arms, arms * len(x)), dtype=np.float32)
    for k in range(arms):
        out[k, k * len(x):(k + 1) * len(x)] = x
    return torch.from_numpy(out)


class NeuralTS:
    def __init__(self, dim, width=100, lambda_=0.001, nu=0.01, steps=100):
        self.net = torch.nn.Sequential(torch.nn.Linear(dim, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))
        self.lambda_, self.nu, self.steps = lambda_, nu, steps
        self.U = lambda_ * torch.ones(sum(p.numel() for p in self.net.parameters()))
        self.contexts, self.rewards = [], []

    def select(self, contexts):
        draws, gradients = [], []
        for f in self.net(contexts).squeeze(1):
            self.net.zero_grad()
            f.backward(retain_graph=True)
            g = torch.cat([p.grad.flatten() for p in self.net.parameters()])
            sigma = torch.sqrt(self.lambda_ * self.nu * torch.sum(g * g / self.U))
            draws.append(torch.normal(f.detach(), sigma).item())
            gradients.append(g)
        arm = int(np.argmax(draws))
        self.U += gradients[arm] * gradients[arm]
        return arm

    def learn(self, context, reward):
        self.contexts.append(context)
        self.rewards.append(reward)
        x, r = torch.stack(self.contexts), torch.tensor(self.rewards).unsqueeze(1)
        optimiser = torch.optim.SGD(self.net.parameters(), lr=0.01, weight_decay=self.lambda_ / len(self.rewards))
        for _ in range(self.steps):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(self.net(x), r).backward()
            optimiser.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("world", choices=["mushroom", "mnist"])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    flags = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(flags.seed)
    x, y = read_mnist(flags.data / "mnist") if flags.world == "mnist" else read_csv(flags.data / f"{flags.world}.csv.gz")
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    order = np.random.default_rng(flags.seed).permutation(len(y))[:flags.rounds]
    arms = int(y.max()) + 1
    policy, regret, start = NeuralTS(arms * x.shape[1]), 0, (time.perf_counter(), time.process_time())
    for i in order:
        contexts = contexts_of(x[i], arms)
        arm = policy.select(contexts)
        reward = float(arm == y[i])
        regret += 1 - reward
        policy.learn(contexts[arm], reward)
    print(json.dumps({"rounds": len(order), "regret": regret, "seconds": time.perf_counter() - start[0],
                      "cpu_seconds": time.process_time() - start[1]}))


if __name__ == "__main__":
    main()
